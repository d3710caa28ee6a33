"""Checks payloads with the models and schemas that the services, or the makers of clients for them, publish.

Reads JSON lines {"service", "path", "headers", "body"} from standard input and prints one verdict per line: `ok`, or
`refused: ` and why. A model that ignores unknown keys would accept a misspelt one, so each body must come back from its
model unchanged.
"""

import functools
import inspect
import json
import sys
import uuid
from html.parser import HTMLParser


class Refused(Exception):
    """Why a service would not accept it, in words."""


def same(given, made, place="body"):
    """The model's version must contain everything that was given; whatever it adds is a default."""
    if isinstance(given, dict) and isinstance(made, dict):
        for key, value in given.items():
            if key not in made:
                raise Refused(f"{place}.{key} is unknown")
            same(value, made[key], f"{place}.{key}")
    elif isinstance(given, list) and isinstance(made, list):
        if len(given) != len(made):
            raise Refused(f"{place} has {len(given)} entries, {len(made)} are known")
        for index, (one, other) in enumerate(zip(given, made)):
            same(one, other, f"{place}[{index}]")
    elif given != made or type(given) is not type(made):
        raise Refused(f"{place} is {json.dumps(given)[:80]}, not {json.dumps(made, default=str)[:80]}")


@functools.cache
def parameters(function):
    return inspect.signature(function).parameters


def known(keys, function, place="body"):
    """Only keys that the SDK's function has parameters for."""
    for key in keys:
        if key not in parameters(function):
            raise Refused(f"{place}.{key} is unknown")


def slack(case, body):
    from slack_sdk import WebClient
    from slack_sdk.models.blocks import Block
    from slack_sdk.webhook import WebhookClient

    call = case["path"].rsplit("/", 1)[-1]
    methods = {"chat.postMessage": WebClient.chat_postMessage}
    known(body, methods.get(call, WebhookClient.send))
    if not isinstance(body.get("text"), str) or not body["text"]:
        raise Refused("body.text is missing")
    if call in methods and not isinstance(body.get("channel"), str):
        raise Refused("body.channel is missing")
    blocks = []
    for index, attachment in enumerate(body.get("attachments", [])):
        for key in attachment:
            if key not in ("color", "fallback", "blocks", "actions"):
                raise Refused(f"body.attachments[{index}].{key} is unknown")
        if not attachment.get("fallback"):
            raise Refused(f"body.attachments[{index}].fallback is missing")
        for action in attachment.get("actions", []):
            if set(action) - {"style"} != {"type", "text", "url"} or action["type"] != "button":
                raise Refused(f"body.attachments[{index}].actions is not a link button")
        blocks += attachment.get("blocks", [])
    if len(blocks) > 50:
        raise Refused("body.blocks has more than 50 entries")
    for index, given in enumerate(blocks):
        block = Block.parse(given)
        if block is None:
            raise Refused(f"body.blocks[{index}] is of an unknown type")
        same(given, json.loads(json.dumps(block.to_dict())), f"body.blocks[{index}]")
        for element in given.get("elements", []):
            if not element.get("text"):
                raise Refused(f"body.blocks[{index}] has an empty text")


def line(case, body):
    from linebot.v3.messaging import PushMessageRequest

    same(body, PushMessageRequest.from_dict(json.loads(json.dumps(body))).to_dict())
    for message in body["messages"]:
        if not 1 <= len(message["text"].encode("utf-16-le")) // 2 <= 5000:
            raise Refused("body.messages has a text that is empty or longer than 5000")
    uuid.UUID(case["headers"]["x-line-retry-key"])


def discord(case, body):
    from interactions import AllowedMentions, Embed, MentionType
    from interactions.models.discord.message import process_message_payload

    known(body, process_message_payload)
    if not body.get("content") and not body.get("embeds"):
        raise Refused("body has neither content nor embeds")
    if len(body.get("content", "")) > 2000:
        raise Refused("body.content is longer than 2000")
    if len(body.get("embeds", [])) > 10:
        raise Refused("body.embeds has more than 10 entries")
    for given in body.get("embeds", []):
        made = Embed.from_dict(json.loads(json.dumps(given))).to_dict()
        # The model writes the same instant in another format.
        made.update({key: given[key] for key in ["timestamp"] if key in given and key in made})
        same(given, made, "body.embeds")
    mentions = body.get("allowed_mentions", {})
    same(mentions, AllowedMentions(**mentions).to_dict() | {"parse": [MentionType(m).value for m in mentions["parse"]]})


@functools.cache
def card_validator(version):
    from importlib.resources import files

    from jsonschema.validators import validator_for

    schema = json.loads((files("adaptive_cards") / "schemas" / f"schema-{version}.json").read_text("utf-8-sig"))
    return validator_for(schema)(schema)


def teams(case, body):
    if set(body) - {"type", "summary", "attachments"} or body["type"] != "message" or len(body.get("attachments", [])) != 1:
        raise Refused("body is not a message with one card")
    attachment = body["attachments"][0]
    if set(attachment) - {"contentType", "contentUrl", "content"}:
        raise Refused(f"the attachment has {sorted(attachment)}")
    if attachment["contentType"] != "application/vnd.microsoft.card.adaptive":
        raise Refused("body.attachments has another content type than that of a card")
    card = dict(attachment["content"])
    # Only Teams has this; the schema for all hosts does not know it.
    if card.pop("msteams", {"width": "Full"}) != {"width": "Full"}:
        raise Refused("the card's msteams is unknown")
    fault = next(card_validator(card["version"]).iter_errors(card), None)
    if fault:
        while fault.context:
            fault = max(fault.context, key=lambda one: len(one.absolute_path))
        raise Refused(f"card at {list(fault.absolute_path)}: {fault.message[:200]}")


def google_chat(case, body):
    from google.apps.chat_v1.types import Message
    from google.protobuf import json_format

    json_format.ParseDict(body, Message.pb(Message()), ignore_unknown_fields=False)
    if not body.get("text") and not body.get("cardsV2"):
        raise Refused("body has neither text nor cards")


class TelegramHTML(HTMLParser):
    """The Bot API accepts only these tags, closed in order, and only four named entities."""

    tags = {"b", "strong", "i", "em", "u", "ins", "s", "del", "a", "code", "pre", "blockquote", "tg-spoiler"}

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        if tag not in self.tags:
            raise Refused(f"body.text has the tag {tag}")
        self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise Refused(f"body.text closes {tag}, which is not open")

    def handle_data(self, data):
        if "<" in data or "&" in data:
            raise Refused("body.text has a bare < or &")
        self.text += data

    def handle_entityref(self, name):
        if name not in {"lt", "gt", "amp", "quot"}:
            raise Refused(f"body.text has the entity {name}")
        self.text += "x"

    def handle_charref(self, name):
        self.text += "x"

    def handle_comment(self, data):
        raise Refused("body.text has a comment")


def telegram(case, body):
    from aiogram.methods import SendMessage

    made = SendMessage.model_validate(body)
    for part in [made, made.link_preview_options, getattr(made, "reply_parameters", None)]:
        if part is not None and getattr(part, "model_extra", None):
            raise Refused(f"{sorted(part.model_extra)} of {type(part).__name__} is unknown")
    text = body["text"]
    if body.get("parse_mode") == "HTML":
        reader = TelegramHTML()
        reader.feed(text)
        reader.close()
        if reader.open:
            raise Refused(f"body.text leaves {reader.open} open")
        text = reader.text
    if not 1 <= len(text.encode("utf-16-le")) // 2 <= 4096:
        raise Refused("body.text is empty or longer than 4096")


def pagerduty(case, body):
    from types import SimpleNamespace

    from pagerduty import EventsApiV2Client

    class Client(EventsApiV2Client):
        """Keeps what it would send."""

        def post(self, path, json):
            # The routing key is added on the way out.
            self.sent = (path, self.normalize_params(dict(json)) | {"routing_key": body["routing_key"]})
            answer = {"dedup_key": json["dedup_key"]}
            return SimpleNamespace(is_success=True, status_code=202, text="", json=lambda: answer)

    rest = dict(body)
    client = Client(rest.pop("routing_key"))
    action, key, payload = rest.pop("event_action"), rest.pop("dedup_key"), rest.get("payload")
    if set(rest) - {"payload", "links", "images", "client", "client_url"}:
        raise Refused(f"body has {sorted(rest)}")
    client.send_event(action, key, **rest)
    same(body, client.sent[1])
    if not case["path"].endswith(client.sent[0]) or len(key) > 255:
        raise Refused("the path or the key is not that of an event")
    if action != "trigger":
        if payload is not None:
            raise Refused("body.payload belongs to a trigger")
        return
    # The SDK has parameters for these; other documented fields of a trigger go into `others`.
    given = {name: payload[name] for name in ["summary", "source", "severity", "custom_details"]}
    others = {name: value for name, value in payload.items() if name not in given}
    if set(others) - {"timestamp", "component", "group", "class"}:
        raise Refused(f"body.payload has {sorted(others)}")
    client.trigger(dedup_key=key, payload=others, links=rest.get("links"), **given)
    same(payload, client.sent[1]["payload"], "body.payload")
    if payload["severity"] not in {"critical", "error", "warning", "info"} or not payload["source"]:
        raise Refused("body.payload has an unknown severity or no source")
    if not 1 <= len(payload["summary"]) <= 1024:
        raise Refused("body.payload has a summary that is empty or longer than 1024")


def webhook(case, body):
    from standardwebhooks import Webhook

    # It refuses a timestamp that is not current.
    Webhook(case["secret"]).verify(case["body"].encode(), case["headers"])
    if set(body) != {"type", "timestamp", "data"}:
        raise Refused("body is not {type, timestamp, data}")


JUDGES = {
    "slack": slack, "slack-bot": slack, "line": line, "discord": discord, "teams": teams, "google-chat": google_chat,
    "telegram": telegram, "pagerduty": pagerduty, "webhook": webhook,
}


def verdict(case):
    try:
        JUDGES[case["service"]](case, json.loads(case["body"]))
        return "ok"
    except Exception as fault:  # Any error of a model is a refusal.
        return "refused: " + f"{type(fault).__name__}: {fault}".replace("\n", " ")[:400]


for text in sys.stdin:
    print(verdict(json.loads(text)), flush=True)
