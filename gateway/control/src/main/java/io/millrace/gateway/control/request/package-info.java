/** Authentication, limits, bodies and errors of control API requests. */
@NullMarked
package io.millrace.gateway.control.request;

import org.jspecify.annotations.NullMarked;
