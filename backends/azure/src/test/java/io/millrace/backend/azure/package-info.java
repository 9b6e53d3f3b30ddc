/**
 * Tests of the Azure backend: the contract before an emulator, requests and responses before a server of the test's
 * own, signatures and settings alone.
 */
@NullMarked
package io.millrace.backend.azure;

import org.jspecify.annotations.NullMarked;
