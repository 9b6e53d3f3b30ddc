/** Reads of objects over HTTP: the preconditions to send, and the validation of responses. */
@NullMarked
package io.millrace.backend.http.read;

import org.jspecify.annotations.NullMarked;
