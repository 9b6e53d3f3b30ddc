/** Tests of the words of object storage. */
@NullMarked
package io.millrace.backend.spi;

import org.jspecify.annotations.NullMarked;
