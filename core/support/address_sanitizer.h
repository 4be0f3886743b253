// Whether the program is built with AddressSanitizer: GCC tells by a macro, Clang by a feature.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define FAKETENSOR_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define FAKETENSOR_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define FAKETENSOR_ADDRESS_SANITIZER 0
#endif
