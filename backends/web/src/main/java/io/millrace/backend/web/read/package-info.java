/** Reads of objects from a web server, and what must hold of its responses. */
@NullMarked
package io.millrace.backend.web.read;

import org.jspecify.annotations.NullMarked;
