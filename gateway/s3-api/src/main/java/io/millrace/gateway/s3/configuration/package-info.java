/**
 * Bucket configuration and object subresources: tags, locks, versioning, policies and the like. They are forwarded to
 * S3 backends; for other backends, the gateway returns S3's response for missing configuration.
 */
@NullMarked
package io.millrace.gateway.s3.configuration;

import org.jspecify.annotations.NullMarked;
