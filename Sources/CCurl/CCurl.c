// libcurl's functions by their usual names. libcurl and the libraries that it needs, twenty on Debian, are loaded by the first call:
// they took a quarter of the start of every command, and most commands do not fetch.
#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// Every function is here with its parameters in parentheses, and once more as it is called.
#define PIPPIN_CURL_FUNCTIONS(function)                                                                                                 \
    function(CURLcode, curl_global_init, (long flags), (flags))                                                                         \
    function(CURL *, curl_easy_init, (void), ())                                                                                        \
    function(void, curl_easy_cleanup, (CURL * handle), (handle))                                                                        \
    function(CURLcode, curl_easy_perform, (CURL * handle), (handle))                                                                    \
    function(CURLcode, curl_easy_pause, (CURL * handle, int what), (handle, what))                                                      \
    function(const char *, curl_easy_strerror, (CURLcode code), (code))                                                                 \
    function(CURLM *, curl_multi_init, (void), ())                                                                                      \
    function(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))                                                                   \
    function(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL * easy), (multi, easy))                                             \
    function(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL * easy), (multi, easy))                                          \
    function(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running))                                            \
    function(                                                                                                                           \
        CURLMcode, curl_multi_poll, (CURLM * multi, struct curl_waitfd * more, unsigned int count, int milliseconds, int *ready),       \
        (multi, more, count, milliseconds, ready))                                                                                      \
    function(CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi))                                                                    \
    function(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))                                                \
    function(const char *, curl_multi_strerror, (CURLMcode code), (code))                                                               \
    function(CURLSH *, curl_share_init, (void), ())                                                                                     \
    function(CURLSHcode, curl_share_cleanup, (CURLSH * share), (share))                                                                 \
    function(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))                        \
    function(void, curl_slist_free_all, (struct curl_slist * list), (list))

struct pippin_curl_variadics pippin_curl_loaded;

#define PIPPIN_CURL_POINTER(type, name, parameters, arguments) static type(*loaded_##name) parameters;
PIPPIN_CURL_FUNCTIONS(PIPPIN_CURL_POINTER)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static char trouble[512];

static void *find(const char *name) {
    void *function = dlsym(library, name);
    if (!function && !trouble[0]) snprintf(trouble, sizeof trouble, "libcurl has no function %s", name);
    return function;
}

static void load(void) {
    // Its name since 2006, in all distributions; that of the development package that the headers are from.
    library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(trouble, sizeof trouble, "%s", reason ? reason : "libcurl.so.4 cannot be loaded");
        return;
    }
#define PIPPIN_CURL_FIND(type, name, parameters, arguments) loaded_##name = (type(*) parameters)find(#name);
    PIPPIN_CURL_FUNCTIONS(PIPPIN_CURL_FIND)
    pippin_curl_loaded.easy_setopt = (CURLcode(*)(CURL *, CURLoption, ...))find("curl_easy_setopt");
    pippin_curl_loaded.easy_getinfo = (CURLcode(*)(CURL *, CURLINFO, ...))find("curl_easy_getinfo");
    pippin_curl_loaded.multi_setopt = (CURLMcode(*)(CURLM *, CURLMoption, ...))find("curl_multi_setopt");
    pippin_curl_loaded.share_setopt = (CURLSHcode(*)(CURLSH *, CURLSHoption, ...))find("curl_share_setopt");
}

const char *pippin_curl_trouble(void) {
    pthread_once(&once, load);
    return trouble[0] ? trouble : NULL;
}

void *pippin_curl_symbol(const char *name) {
    pthread_once(&once, load);
    return library ? dlsym(library, name) : NULL;
}

static void require(void) {
    if (!pippin_curl_trouble()) return;
    // Callers ask for the trouble first.
    fprintf(stderr, "pippin: %s\n", trouble);
    abort();
}

// A function's address is not called before `require` has set it.
#define PIPPIN_CURL_FORWARD(type, name, parameters, arguments)                                                                          \
    type name parameters {                                                                                                              \
        require();                                                                                                                      \
        return loaded_##name arguments;                                                                                                 \
    }
PIPPIN_CURL_FUNCTIONS(PIPPIN_CURL_FORWARD)
