/** GetObject and HeadObject. */
@NullMarked
package io.millrace.gateway.s3.object;

import org.jspecify.annotations.NullMarked;
