#ifndef PIPPIN_CCURL_H
#define PIPPIN_CCURL_H
#include <curl/curl.h>

/// Why libcurl cannot be used, such as that it is not installed; null if it can. Any thread may ask; the first call loads libcurl.
const char *pippin_curl_trouble(void);

/// A function of libcurl or of the libraries that it brings, such as OpenSSL's and Brotli's; null if there is none.
void *pippin_curl_symbol(const char *name);

// curl_easy_setopt, curl_easy_getinfo, curl_multi_setopt and curl_share_setopt are variadic, which Swift cannot call. Whoever has a
// handle has loaded them.
struct pippin_curl_variadics {
    CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
    CURLMcode (*multi_setopt)(CURLM *handle, CURLMoption option, ...);
    CURLSHcode (*share_setopt)(CURLSH *handle, CURLSHoption option, ...);
};
extern struct pippin_curl_variadics pippin_curl_loaded;

static inline CURLcode pippin_curl_easy_setopt_long(CURL *handle, CURLoption option, long value) {
    return pippin_curl_loaded.easy_setopt(handle, option, value);
}
static inline CURLcode pippin_curl_easy_setopt_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return pippin_curl_loaded.easy_setopt(handle, option, value);
}
static inline CURLcode pippin_curl_easy_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return pippin_curl_loaded.easy_setopt(handle, option, value);
}
static inline CURLcode pippin_curl_easy_setopt_pointer(CURL *handle, CURLoption option, void *value) {
    return pippin_curl_loaded.easy_setopt(handle, option, value);
}
static inline CURLcode pippin_curl_easy_setopt_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return pippin_curl_loaded.easy_setopt(handle, option, value);
}
// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode pippin_curl_easy_setopt_write(CURL *handle, CURLoption option, curl_write_callback value) {
    return pippin_curl_loaded.easy_setopt(handle, option, value);
}
static inline CURLcode pippin_curl_easy_setopt_opensocket(CURL *handle, curl_opensocket_callback value) {
    return pippin_curl_loaded.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode pippin_curl_easy_setopt_prereq(CURL *handle, curl_prereq_callback value) {
    return pippin_curl_loaded.easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode pippin_curl_easy_setopt_closesocket(CURL *handle, curl_closesocket_callback value) {
    return pippin_curl_loaded.easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode pippin_curl_easy_setopt_debug(CURL *handle, curl_debug_callback value) {
    return pippin_curl_loaded.easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
}
static inline CURLcode pippin_curl_easy_setopt_xferinfo(CURL *handle, curl_xferinfo_callback value) {
    return pippin_curl_loaded.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

// What a write callback returns to get the block again later; a macro of another type than the callback's.
static const size_t pippin_curl_pause = CURL_WRITEFUNC_PAUSE;
static const int pippin_curl_go_on = CURLPAUSE_CONT;

// ZSTD_inBuffer and ZSTD_outBuffer (zstd.h), whose functions are found when the program runs.
struct pippin_zstd_input { const void *bytes; size_t size; size_t position; };
struct pippin_zstd_room { void *bytes; size_t size; size_t position; };

static inline CURLcode pippin_curl_easy_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return pippin_curl_loaded.easy_getinfo(handle, info, value);
}
static inline CURLcode pippin_curl_easy_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return pippin_curl_loaded.easy_getinfo(handle, info, value);
}
static inline CURLcode pippin_curl_easy_getinfo_string(CURL *handle, CURLINFO info, const char **value) {
    return pippin_curl_loaded.easy_getinfo(handle, info, value);
}
static inline CURLcode pippin_curl_easy_getinfo_pointer(CURL *handle, CURLINFO info, void **value) {
    return pippin_curl_loaded.easy_getinfo(handle, info, value);
}

static inline CURLMcode pippin_curl_multi_setopt_long(CURLM *handle, CURLMoption option, long value) {
    return pippin_curl_loaded.multi_setopt(handle, option, value);
}
static inline CURLSHcode pippin_curl_share_setopt_long(CURLSH *handle, CURLSHoption option, long value) {
    return pippin_curl_loaded.share_setopt(handle, option, value);
}
#endif
