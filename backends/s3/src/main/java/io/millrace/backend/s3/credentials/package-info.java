/** Credentials of S3 backends: where they come from, and how they are refreshed. */
@NullMarked
package io.millrace.backend.s3.credentials;

import org.jspecify.annotations.NullMarked;
