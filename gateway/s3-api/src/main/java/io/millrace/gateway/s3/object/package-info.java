/** GetObject and HeadObject, served from the cache or a backend. */
@NullMarked
package io.millrace.gateway.s3.object;

import org.jspecify.annotations.NullMarked;
