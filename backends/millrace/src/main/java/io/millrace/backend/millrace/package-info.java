/** The backend for another Millrace: an S3 server that is a cache itself. */
@NullMarked
package io.millrace.backend.millrace;

import org.jspecify.annotations.NullMarked;
