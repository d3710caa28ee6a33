// Converts the answers, certificates and handshakes of a scenario file for the lab.

import Foundation
import Lab
import LabFaults
import TestSupport

extension ScenarioValue {
    /// A server's behaviour: a reply, a redirect, a maze of redirects or a fault; at once or delayed.
    func behaviour() throws -> LabBehaviour {
        let (reply, rest) = try reply(besides: ["redirect", "maze", "fault", "gzip", "delay_ms"])
        var chosen = LabBehaviour.reply(reply)
        if let value = rest["redirect"] {
            chosen = .redirect(status: reply.status == 200 ? 301 : reply.status, location: try value.string())
        } else if let value = rest["maze"] {
            chosen = .maze(status: try value.int())
        } else if let value = rest["fault"] {
            let faults = Dictionary(LabFault.allCases.map { ($0.rawValue, $0) }) { first, _ in first }
            chosen = .fault(try value.choice(faults))
        } else if try rest["gzip"]?.bool() == true {
            chosen = .gzip(reply)
        }
        if let value = rest["delay_ms"] { chosen = .after(.milliseconds(try value.int()), chosen) }
        return chosen
    }

    /// A reply, and the values of the other keys that are present.
    func reply(besides others: Set<String>) throws -> (LabReply, [String: ScenarioValue]) {
        let members = try members(
            others.union([
                "file", "json", "html", "text", "status", "type", "headers", "last_modified_hours", "padding", "mark",
            ]))
        var reply = LabReply()
        if let value = members["status"] { reply.status = try value.int() }
        var type: String?
        if let value = members["file"] {
            reply.body = Array(associationFile(try value.string()).utf8)
            type = "application/json"
        } else if let value = members["json"] {
            reply.body = Array(try value.string().utf8)
            type = "application/json"
        } else if let value = members["html"] {
            reply.body = Array(try value.string().utf8)
            type = "text/html; charset=utf-8"
        } else if let value = members["text"] {
            reply.body = Array(try value.string().utf8)
            type = "text/plain; charset=utf-8"
        } else if reply.status != 200 {
            reply = .status(reply.status)
        }
        if let value = members["type"] { type = try value.string() }
        if let type { reply.headers.append((name: "Content-Type", value: type)) }
        if let value = members["headers"] {
            reply.headers += try value.map { try $1.string() }.map { (name: $0.key, value: $0.value) }
        }
        if let value = members["last_modified_hours"] {
            let date = Date(timeIntervalSinceNow: -3600 * Double(try value.int()))
            reply.headers.append((name: "Last-Modified", value: EndToEndTests.CopyTests.httpDate(date)))
        }
        if let value = members["padding"] { reply.body += Array(repeating: 0x20, count: try value.int()) }
        if try members["mark"]?.bool() == true { reply.body = [0xef, 0xbb, 0xbf] + reply.body }
        return (reply, members.filter { others.contains($0.key) })
    }

    func certificate() throws -> LabCertificate {
        if (try? string()) == nil {
            let members = try members(["expiring_days"])
            return .expiring(in: .seconds(86_400 * (try members.need("expiring_days", in: self).int())))
        }
        return try choice([
            "valid": LabCertificate.valid, "expired": .expired, "not_yet_valid": .notYetValid,
            "wrong_name": .wrongName, "self_signed": .selfSigned, "untrusted_root": .untrustedRoot,
            "missing_intermediate": .missingIntermediate, "private_authority": .privateAuthority,
            "expired_intermediate": .expiredIntermediate, "missing_second_intermediate": .missingSecondIntermediate,
            "common_name_only": .commonNameOnly, "ingress_default": .ingressDefault,
        ])
    }

    func handshake() throws -> LabHandshake {
        try choice(Dictionary(LabHandshake.allCases.map { ("\($0)", $0) }) { first, _ in first })
    }
}

/// An association file whose path contains the version. Outside the type, where `file` has another meaning.
private func associationFile(_ version: String) -> String { file(version) }
