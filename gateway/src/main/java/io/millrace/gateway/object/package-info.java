/** GetObject and HeadObject. */
@NullMarked
package io.millrace.gateway.object;

import org.jspecify.annotations.NullMarked;
