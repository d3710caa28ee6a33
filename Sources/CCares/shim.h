// c-ares, the system's: https://c-ares.org/docs.html
#ifndef AASA_CCARES_H
#define AASA_CCARES_H

// Newer versions deprecate functions for which 1.18 has no replacement.
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/time.h>

// What a status means. The codes are macros in older versions and an enumeration in newer ones.
enum aasa_ares_outcome {
    AASA_ARES_FOUND,
    AASA_ARES_NO_SUCH_NAME,
    AASA_ARES_NO_ADDRESS,
    AASA_ARES_SERVER_FAILURE,
    AASA_ARES_NO_SERVER,
    AASA_ARES_OTHER
};

static inline enum aasa_ares_outcome aasa_ares_outcome_of(int status) {
    switch (status) {
        case ARES_SUCCESS: return AASA_ARES_FOUND;
        case ARES_ENOTFOUND:
        case ARES_EBADNAME: return AASA_ARES_NO_SUCH_NAME;
        case ARES_ENODATA: return AASA_ARES_NO_ADDRESS;
        case ARES_ESERVFAIL:
        case ARES_EREFUSED:
        case ARES_ENOTIMP:
        case ARES_EFORMERR:
        case ARES_EBADRESP: return AASA_ARES_SERVER_FAILURE;
        case ARES_ETIMEOUT:
        case ARES_ECONNREFUSED: return AASA_ARES_NO_SERVER;
        default: return AASA_ARES_OTHER;
    }
}

#endif
