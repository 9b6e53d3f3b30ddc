/** Reading and writing of XML documents that go over HTTP. */
@NullMarked
package io.millrace.kit.xml;

import org.jspecify.annotations.NullMarked;
