"""A webhook receiver and a mail server on loopback, for the package test: receivers.py FOLDER

It writes its two ports to FOLDER/webhook.port and FOLDER/mail.port, and each message to FOLDER/webhook-N or FOLDER/mail-N."""

import http.server
import itertools
import os
import socketserver
import sys
import threading

folder = sys.argv[1]
counter = itertools.count(1)


def keep(kind, message):
    path = os.path.join(folder, f"{kind}-{next(counter)}")
    with open(path + ".part", "wb") as file:
        file.write(message)
    os.rename(path + ".part", path)


class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        keep("webhook", self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Mail(socketserver.StreamRequestHandler):
    """The part of RFC 5321 that a client needs to send one message after the other."""

    def say(self, words):
        self.wfile.write(words.encode("ascii") + b"\r\n")

    def handle(self):
        self.say("220 mail.test ESMTP")
        while line := self.rfile.readline():
            verb = line.split()[0].upper() if line.split() else b""
            if verb == b"QUIT":
                self.say("221 bye")
                return
            if verb == b"DATA":
                self.say("354 go on")
                lines = []
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(part[1:] if part.startswith(b".") else part)
                keep("mail", b"".join(lines))
            self.say("250 ok")


def serve(kind, server):
    with open(os.path.join(folder, f"{kind}.port"), "w", encoding="ascii") as file:
        file.write(str(server.server_address[1]))
    return server


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


webhook = serve("webhook", http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook))
mail = serve("mail", Server(("127.0.0.1", 0), Mail))
threading.Thread(target=webhook.serve_forever, daemon=True).start()
mail.serve_forever()
