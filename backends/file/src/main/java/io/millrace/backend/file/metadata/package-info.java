/** Metadata of objects in files, and where it is kept. */
@NullMarked
package io.millrace.backend.file.metadata;

import org.jspecify.annotations.NullMarked;
