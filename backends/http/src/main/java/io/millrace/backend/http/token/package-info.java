/** Access tokens of clouds: values that expire, the client of the endpoints that issue them, and a cache that renews them ahead. */
@NullMarked
package io.millrace.backend.http.token;

import org.jspecify.annotations.NullMarked;
