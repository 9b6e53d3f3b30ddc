/** Objects as Google Cloud Storage describes them, and their headers as S3 has them. */
@NullMarked
package io.millrace.backend.gcs.resource;

import org.jspecify.annotations.NullMarked;
