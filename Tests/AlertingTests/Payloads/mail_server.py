"""A mail server on loopback that parses what it gets, as mail programs do.

Takes its settings as JSON in the first argument and ends with its standard input. Prints JSON lines: first {"port": N}, then
for each connection's login {"login": [user, password]}, for each mail that it does not answer {"holds": true}, and for each mail
that it accepts how the standard library reads it.

The name of a recipient decides: `unknown*` is refused permanently, `later*` temporarily, all others are accepted.
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

SETTINGS = json.loads(sys.argv[1])


def say(**what):
    print(json.dumps(what), flush=True)


def defects(part):
    found = [f"{type(defect).__name__}: {defect}" for defect in part.defects]
    for name, value in part.items():
        found += [f"{name}: {type(defect).__name__}" for defect in getattr(value, "defects", [])]
    if part.is_multipart():
        for inner in part.iter_parts():
            found += defects(inner)
    return found


def encrypted(server):
    return server.transport.get_extra_info("ssl_object") is not None


def parsed(envelope, server):
    raw = envelope.original_content
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    texts = {}
    for kind in ("plain", "html"):
        part = mail.get_body((kind,))
        texts[kind] = None if part is None else part.get_content()
    return {
        "sender": envelope.mail_from,
        "recipients": envelope.rcpt_tos,
        "encrypted": encrypted(server),
        "names": [name for name, _ in mail.items()],
        "subject": mail["subject"],
        "from": mail["from"],
        "to": [address.addr_spec for address in mail["to"].addresses],
        "date": mail["date"].datetime.isoformat(),
        "id": mail["message-id"],
        "references": (mail["references"] or "").split(),
        "answered": mail["in-reply-to"],
        "automatic": mail["auto-submitted"],
        "type": mail.get_content_type(),
        "defects": defects(mail),
        "longest": max(len(line) for line in raw.split(b"\r\n")),
        "ascii": raw.isascii(),
        "bare": raw.replace(b"\r\n", b"").count(b"\n") + raw.replace(b"\r\n", b"").count(b"\r"),
        **texts,
    }


class Handler:
    async def handle_MAIL(self, server, session, envelope, address, options):
        if reply := SETTINGS.get("sender_reply"):
            return reply
        envelope.mail_from = address
        return "250 2.1.0 sender ok"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("unknown"):
            return "550 5.1.1 no such user here"
        if address.startswith("later"):
            return "450 4.2.1 mailbox busy"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 recipient ok"

    async def handle_DATA(self, server, session, envelope):
        if SETTINGS.get("hang") == "message":
            say(holds=True)
            await asyncio.Event().wait()
        if reply := SETTINGS.get("message_reply"):
            return reply
        say(**parsed(envelope, server))
        return "250 2.0.0 queued as 4F2A"

    async def handle_QUIT(self, server, session, envelope):
        if SETTINGS.get("hang") == "quit":
            await asyncio.Event().wait()
        return "221 2.0.0 bye"


def authenticate(server, session, envelope, mechanism, data):
    if isinstance(data, LoginPassword):
        login = [data.login.decode(), data.password.decode()]
        say(login=login, encrypted=encrypted(server))
        if login == SETTINGS["login"]:
            return AuthResult(success=True)
    return AuthResult(success=False, handled=False)


async def main():
    context = None
    if SETTINGS.get("certificate"):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(SETTINGS["certificate"], SETTINGS["key"])
    offers = SETTINGS.get("tls") == "starttls"

    def connection():
        return SMTP(
            Handler(), hostname="mail.test", tls_context=context if offers else None,
            authenticator=authenticate if SETTINGS.get("login") else None,
            auth_required=bool(SETTINGS.get("login")), auth_require_tls=False)

    async def silent(reader, writer):
        # Connections to it stay open; it says nothing.
        await asyncio.Event().wait()

    if SETTINGS.get("hang") == "greeting":
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
    else:
        server = await asyncio.get_running_loop().create_server(
            connection, "127.0.0.1", 0, ssl=context if SETTINGS.get("tls") == "smtps" else None)
    say(port=server.sockets[0].getsockname()[1])
    # Until the test closes it.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    try:
        asyncio.run(asyncio.wait_for(main(), 3600))
    finally:
        sys.stdout.flush()
        import os

        os._exit(0)
