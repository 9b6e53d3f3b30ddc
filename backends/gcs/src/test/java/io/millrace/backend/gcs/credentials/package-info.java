@NullMarked
package io.millrace.backend.gcs.credentials;

import org.jspecify.annotations.NullMarked;
