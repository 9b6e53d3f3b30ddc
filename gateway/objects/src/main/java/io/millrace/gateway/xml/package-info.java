/** XML documents of S3, read and written. */
@NullMarked
package io.millrace.gateway.xml;

import org.jspecify.annotations.NullMarked;
