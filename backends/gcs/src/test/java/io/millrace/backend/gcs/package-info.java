@NullMarked
package io.millrace.backend.gcs;

import org.jspecify.annotations.NullMarked;
