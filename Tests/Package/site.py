"""A site and Apple's CDN on loopback, for the package test: site.py CERTIFICATE PORT_FILE

good.test has a file, and the CDN has the same one. other.test has a file, and the CDN has a different one. bad.test answers 403,
and the CDN has nothing."""

import http.server
import ssl
import sys

FILE = b'{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}'
FILES = {
    ("good.test", "/.well-known/apple-app-site-association"): FILE,
    ("cdn.test", "/a/v1/good.test"): FILE,
    ("other.test", "/.well-known/apple-app-site-association"): FILE,
    ("cdn.test", "/a/v1/other.test"): FILE.replace(b"buy", b"sell"),
}


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers.get("Host", "").split(":")[0]
        body = FILES.get((host, self.path), b"")
        self.send_response(200 if body else 404 if host == "cdn.test" else 403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


certificate, port_file = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(port_file, "w", encoding="ascii") as file:
    file.write(str(server.server_address[1]))
server.serve_forever()
