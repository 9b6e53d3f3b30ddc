/** Multipart uploads as temporary objects that are composed. */
@NullMarked
package io.millrace.backend.gcs.multipart;

import org.jspecify.annotations.NullMarked;
