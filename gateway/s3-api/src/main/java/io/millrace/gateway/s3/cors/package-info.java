/** CORS: preflight requests and response headers, by the rules in the settings or else those of the backend. */
@NullMarked
package io.millrace.gateway.s3.cors;

import org.jspecify.annotations.NullMarked;
