/** The JSON API of Google Cloud Storage, operation by operation. */
@NullMarked
package io.millrace.backend.gcs.api;

import org.jspecify.annotations.NullMarked;
