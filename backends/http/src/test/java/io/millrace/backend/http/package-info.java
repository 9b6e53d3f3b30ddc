/** Tests of the HTTP building blocks. */
@NullMarked
package io.millrace.backend.http;

import org.jspecify.annotations.NullMarked;
