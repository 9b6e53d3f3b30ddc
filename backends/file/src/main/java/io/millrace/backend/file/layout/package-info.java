/** Maps buckets and keys to folders and files. */
@NullMarked
package io.millrace.backend.file.layout;

import org.jspecify.annotations.NullMarked;
