/** The settings of a Google Cloud Storage backend. */
@NullMarked
package io.millrace.backend.gcs.settings;

import org.jspecify.annotations.NullMarked;
