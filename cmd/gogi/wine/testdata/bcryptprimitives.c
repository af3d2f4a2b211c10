/* bcryptprimitives.dll for Wine before 9, which has none: Go's runtime wants
 * ProcessPrng. SystemFunction036 of advapi32 is RtlGenRandom. */
#include <windows.h>

BOOLEAN WINAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return SystemFunction036(data, (ULONG)size);
}
