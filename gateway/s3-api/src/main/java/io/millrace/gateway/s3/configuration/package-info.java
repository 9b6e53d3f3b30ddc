/**
 * What a backend keeps beside the bytes of objects: tags, locks, versioning, policies and the like. Passed on to backends that
 * speak S3; where there is none of it, S3's own answer for that.
 */
@NullMarked
package io.millrace.gateway.s3.configuration;

import org.jspecify.annotations.NullMarked;
