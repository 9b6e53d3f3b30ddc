/** Operations that list objects and versions. */
@NullMarked
package io.millrace.gateway.s3.listing;

import org.jspecify.annotations.NullMarked;
