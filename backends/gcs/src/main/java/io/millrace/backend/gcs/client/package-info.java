/** Requests to Google Cloud Storage: connections, targets, authorization, errors. */
@NullMarked
package io.millrace.backend.gcs.client;

import org.jspecify.annotations.NullMarked;
