// libcurl's header, and wrappers for what Swift cannot call: variadic functions, and a look into the TLS library behind
// libcurl. There is one wrapper per argument type: a wrong type must not compile in Swift.
#ifndef AASA_CCURL_SHIM_H
#define AASA_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <stddef.h>

typedef size_t (*aasa_curl_data_callback)(char *data, size_t size, size_t count, void *context);
typedef curl_socket_t (*aasa_curl_socket_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*aasa_curl_prereq_callback)(
    void *context, char *primary_ip, char *local_ip, int primary_port, int local_port);
typedef int (*aasa_curl_debug_callback)(CURL *easy, curl_infotype kind, char *data, size_t size, void *context);
typedef int (*aasa_curl_progress_callback)(
    void *context, curl_off_t down_total, curl_off_t down_now, curl_off_t up_total, curl_off_t up_now);

static inline CURLcode aasa_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode aasa_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode aasa_curl_set_string(CURL *easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode aasa_curl_set_pointer(CURL *easy, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode aasa_curl_set_bytes(CURL *easy, CURLoption option, const void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode aasa_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode aasa_curl_set_data_callback(CURL *easy, CURLoption option, aasa_curl_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode aasa_curl_set_socket_callback(CURL *easy, CURLoption option, aasa_curl_socket_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode aasa_curl_set_prereq_callback(CURL *easy, CURLoption option, aasa_curl_prereq_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode aasa_curl_set_progress_callback(
    CURL *easy, CURLoption option, aasa_curl_progress_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode aasa_curl_set_debug_callback(CURL *easy, CURLoption option, aasa_curl_debug_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

// For mail: a refused recipient does not stop the delivery to the others. From 8.2 on, the option's name has one L less.
static inline CURLcode aasa_curl_allow_refused_recipients(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
}

static inline CURLcode aasa_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode aasa_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode aasa_curl_get_string(CURL *easy, CURLINFO info, const char *_Nullable *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode aasa_curl_get_certinfo(CURL *easy, struct curl_certinfo *_Nullable *value) {
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, value);
}

static inline CURLMcode aasa_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The protocol version of the TLS session, such as "TLSv1.3"; NULL without TLS or with another library than OpenSSL.
// libcurl has no getter for it, only the SSL pointer. SSL_get_version is looked up at run time: this library then needs no
// libssl of its own. The process has one copy, libcurl's, because the lab links the same package. The handle NULL is
// RTLD_DEFAULT, a name that glibc hides without _GNU_SOURCE. Valid only inside a callback of a connected transfer.
static inline const char *_Nullable aasa_curl_tls_version(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return NULL;
    if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) return NULL;
    const char *(*get_version)(const void *) = (const char *(*)(const void *))dlsym(NULL, "SSL_get_version");
    return get_version == NULL ? NULL : get_version(session->internals);
}

#endif
