/** Building blocks of object listings for backends whose store does not list as S3 does. */
@NullMarked
package io.millrace.backend.spi.listing;

import org.jspecify.annotations.NullMarked;
