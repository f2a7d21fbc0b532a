#ifndef PIPPIN_CCRYPTO_H
#define PIPPIN_CCRYPTO_H
// OpenSSL's digests, from the libcrypto that libcurl brings.
#include <openssl/sha.h>
#endif
