/** Reading and writing of S3's XML documents. */
@NullMarked
package io.millrace.gateway.xml;

import org.jspecify.annotations.NullMarked;
