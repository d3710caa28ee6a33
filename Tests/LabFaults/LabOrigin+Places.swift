// What an origin shows at each of its addresses, and frequently used replies.

import Lab

extension LabOrigin {
    /// Used from the next connection on.
    package var handshake: LabHandshake {
        get { self[greetingAt: nil].handshake ?? .normal }
        set { self[greetingAt: nil].handshake = newValue }
    }

    /// Another certificate at one of the lab's addresses, from the next connection on; nil removes it.
    package func on(address: String, certificate: LabCertificate?) {
        self[greetingAt: address].certificate = certificate
    }

    /// Another handshake at one of the lab's addresses, from the next connection on; nil removes it.
    package func on(address: String, handshake: LabHandshake?) {
        self[greetingAt: address].handshake = handshake
    }
}

extension LabReply {
    /// 200 with this text as `application/json`.
    package static func json(_ text: String) -> LabReply {
        LabReply(headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }

    /// A page, as single-page sites send it for unknown paths.
    package static func html(_ text: String, status: Int = 200) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
    }
}
