// The system's OpenSSL, 3.0 or later, and wrappers for what Swift cannot call: macros and variadic functions.
#ifndef AASA_COPENSSL_SHIM_H
#define AASA_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// A new P-256 key; NULL if there is no memory or no entropy.
static inline EVP_PKEY *_Nullable aasa_openssl_p256_key(void) { return EVP_EC_gen("P-256"); }

// Adds an extension to `subject`, issued by `issuer`, in the syntax of x509v3_config(5). Returns 1 if it was added.
static inline int aasa_openssl_add_extension(X509 *subject, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(subject, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

// Sends this certificate after the leaf. Takes ownership of `certificate` if it returns 1.
static inline int aasa_openssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add_extra_chain_cert(context, certificate);
}

static inline int aasa_openssl_set_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest) == 1 && SSL_CTX_set_max_proto_version(context, highest) == 1;
}

#endif
