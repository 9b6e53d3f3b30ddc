/** What operators see: meters, access log. */
@NullMarked
package io.millrace.gateway.observe;

import org.jspecify.annotations.NullMarked;
