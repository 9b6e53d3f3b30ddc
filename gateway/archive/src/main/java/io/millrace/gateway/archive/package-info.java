/**
 * The members of archives: small parsers of tar and zip that are fed with bytes and find names and places, and the
 * index of what they found. Nothing here reads files, waits or decompresses.
 */
@NullMarked
package io.millrace.gateway.archive;

import org.jspecify.annotations.NullMarked;
