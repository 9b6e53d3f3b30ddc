/** Reads of files and of the Hub's own documents. */
@NullMarked
package io.millrace.backend.hub.read;

import org.jspecify.annotations.NullMarked;
