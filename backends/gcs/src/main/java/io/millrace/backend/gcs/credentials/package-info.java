/** Access tokens for Google Cloud: where they come from, and how they are fetched. */
@NullMarked
package io.millrace.backend.gcs.credentials;

import org.jspecify.annotations.NullMarked;
