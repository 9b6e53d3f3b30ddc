/** Settings of S3 backends. */
@NullMarked
package io.millrace.backend.s3.settings;

import org.jspecify.annotations.NullMarked;
