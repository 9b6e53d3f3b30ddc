/** Which backend a bucket lives on, under which real name; and the operations on buckets. */
@NullMarked
package io.millrace.gateway.objects.bucket;

import org.jspecify.annotations.NullMarked;
