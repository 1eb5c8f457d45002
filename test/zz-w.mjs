import { Worker } from 'node:worker_threads';
import { readdirSync, readFileSync } from 'node:fs';
const cpu=()=>{const u=process.cpuUsage();return (u.user+u.system)/1e6};
const load=async(code,data)=>{const a=cpu();const w=new Worker(code,{eval:true,workerData:data});await new Promise(r=>w.on('message',r));const b=cpu();await w.terminate();return [(b-a).toFixed(3),(cpu()-b).toFixed(3)]};
for(let i=0;i<3;i++){
console.log('empty',await load(`require('node:worker_threads').parentPort.postMessage(1)`));
console.log('sqlite',await load(`require('node:sqlite');require('node:crypto');require('node:worker_threads').parentPort.postMessage(1)`));
console.log('writer verbs',await load(`import('/work/trees/mine/src/catalog/sqlite/writer-thread-modules.mjs').catch(()=>0).then(()=>require('node:worker_threads').parentPort.postMessage(1))`));
}
