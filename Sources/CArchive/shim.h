// libarchive, the system's: https://libarchive.org
#ifndef AASA_CARCHIVE_H
#define AASA_CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#endif
