/** ListObjects and ListObjectsV2. */
@NullMarked
package io.millrace.gateway.s3.listing;

import org.jspecify.annotations.NullMarked;
