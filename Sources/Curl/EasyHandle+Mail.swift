// The options that mail alone has. libcurl doubles dots at the beginning of lines, and ends the message.

import CCurl
import Foundation

extension EasyHandle {
    func setMail(_ mail: Mail, _ transfer: Transfer) throws(CurlError) {
        // Of an `smtps` URL this says nothing.
        let tls = mail.requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_TRY
        try set(CURLOPT_USE_SSL, Int(tls.rawValue))
        if let login = mail.login {
            try set(CURLOPT_USERNAME, login.username)
            try set(CURLOPT_PASSWORD, login.password)
        }
        try set(CURLOPT_MAIL_FROM, mail.sender)
        try set(CURLOPT_MAIL_RCPT, transfer.keep(mail.recipients))
        try allowRefusedRecipients()
        try set(CURLOPT_UPLOAD, true)
        transfer.unsent = mail.message
        let context = transfer.context
        try set(
            CURLOPT_READFUNCTION,
            data: { buffer, size, count, context in
                guard let buffer, let context else { return 0 }
                let transfer = Transfer.of(context)
                let piece = transfer.unsent.prefix(size * count)
                piece.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(start: buffer, count: size * count).copyMemory(from: bytes)
                }
                transfer.unsent = transfer.unsent.dropFirst(piece.count)
                return piece.count
            })
        try set(CURLOPT_READDATA, pointer: context)
        // Replies come by the header callback too, but without the commands.
        try set(
            CURLOPT_DEBUGFUNCTION,
            debug: { _, kind, data, size, context in
                guard let data, let context else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: data, count: size)
                switch kind {
                case CURLINFO_HEADER_OUT: Transfer.of(context).dialogue.take(command: bytes)
                case CURLINFO_HEADER_IN: Transfer.of(context).dialogue.take(line: bytes)
                default: break
                }
                return 0
            })
        try set(CURLOPT_DEBUGDATA, pointer: context)
        try set(CURLOPT_VERBOSE, true)
    }
}
