/** Multipart uploads in folders. */
@NullMarked
package io.millrace.backend.file.multipart;

import org.jspecify.annotations.NullMarked;
