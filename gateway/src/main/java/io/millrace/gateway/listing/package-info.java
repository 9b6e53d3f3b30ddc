/** ListObjects and ListObjectsV2. */
@NullMarked
package io.millrace.gateway.listing;

import org.jspecify.annotations.NullMarked;
